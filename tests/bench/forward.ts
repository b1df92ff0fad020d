import { connect, type Socket } from 'node:net'

/** Joins a connection to whatever listens at an address when it comes. Nagle would add 40 ms to a first answer. */
export const forwardTo =
  (target: () => URL) =>
  (socket: Socket): void => {
    const { hostname, port } = target()
    const engine = connect({ port: Number(port), host: hostname, noDelay: true })
    socket.on('error', () => engine.destroy())
    engine.on('error', () => socket.destroy())
    socket.pipe(engine).pipe(socket)
  }
