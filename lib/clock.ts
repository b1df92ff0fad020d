/** Seconds of Unix time, as JWTs and the table's time to live count. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000)
