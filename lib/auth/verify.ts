import { DomainFailure, failure } from '#lib/errors.ts'
import { isEmail, normalizeEmail } from '#lib/fields.ts'
import { NO_ID } from '#lib/ids.ts'
import { getItem } from '#lib/table/items.ts'
import { collections, keys, type TenantId } from '#lib/table/keys.ts'
import { queryItems } from '#lib/table/queries.ts'
import type { Credentials } from './credentials.ts'
import { Guard } from './guard.ts'
import type { Login, Principal } from './identity.ts'
import { passwordFits } from './passwords.ts'

/** How many users of one email are tried without a `tenant_id`: the oldest, so that nobody can crowd out an older account. */
const MAX_CANDIDATES = 5

/** Who the credentials are; `forgiven` is the clearing of the user's earlier failures, under way. */
export type Verified = { principal: Principal; forgiven: Promise<void> }

/**
 * Finds the user that credentials fit. Throws the 401 where there is none, a 422 where there are several, and a 429 where too
 * many attempts have failed, which costs no hash.
 */
export async function verifyCredentials({ email, password, tenant_id }: Credentials, address: string): Promise<Verified> {
  const known = normalizeEmail(email)
  const counted = Guard.count(known, tenant_id, address)
  const [logins, guard] = await Promise.all([uncountedIfItFails(counted, findLogins(known, tenant_id)), counted])
  const tenants = logins.length > 0 ? logins.map((login) => login.tenant_id) : [tenant_id]
  const waits = tenants.map((tenant) => guard.waitFor(tenant))
  if (waits.every((seconds) => seconds > 0)) return guard.refuse(waits)
  const open = logins.filter((_, n) => waits[n] === 0)
  const fitting = await uncountedIfItFails(counted, fittingOnes(open, password))
  if (fitting.length === 0) {
    await guard.fail(tenants)
    throw failure('InvalidCredentials')
  }
  return theOne(fitting, guard.succeed(fitting.map((principal) => principal.tenant_id)))
}

/** A table that fails is no wrong password. */
async function uncountedIfItFails<T>(counted: Promise<Guard>, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await (await counted).release()
    throw error
  }
}

/** Where nobody has the email the same work is done, so that the time does not tell. */
async function fittingOnes(logins: Login[], password: string): Promise<Principal[]> {
  const tried = await Promise.all((logins.length > 0 ? logins : [undefined]).map((login) => tryLogin(login, password)))
  return tried.flat()
}

/** The principal is read beside the hash. Where its email or its password is not the login's any more, nothing fits. */
async function tryLogin(login: Login | undefined, password: string): Promise<Principal[]> {
  const [principal, fits] = await Promise.all([
    getItem<Principal>(keys.principal(login?.user_id ?? NO_ID)),
    passwordFits(password, login?.password_digest),
  ])
  return principal && fits && isOf(principal, login) ? [principal] : []
}

const isOf = (principal: Principal, login: Login | undefined): boolean =>
  principal.email === login?.email && principal.password_version === login.password_version

async function theOne(fitting: Principal[], forgiven: Promise<void>): Promise<Verified> {
  const [principal, ...others] = fitting
  if (principal && others.length === 0) return { principal, forgiven }
  await forgiven
  throw new DomainFailure('Email belongs to several tenants', {
    details: { tenant_ids: fitting.map(({ tenant_id }) => tenant_id) },
  })
}

async function findLogins(email: string, tenant: number | undefined): Promise<Login[]> {
  if (!isEmail(email)) return []
  if (tenant !== undefined) return findLoginIn(tenant as TenantId, email)
  const { pk, prefix } = collections.logins(email)
  return queryItems<Login>(pk, { from: prefix, to: `${prefix}~`, limit: MAX_CANDIDATES })
}

async function findLoginIn(tenant: TenantId, email: string): Promise<Login[]> {
  const claim = await getItem<{ user_id: number }>(keys.claim(tenant, email))
  // Read where there is no claim as well, so that the time does not tell.
  const login = await getItem<Login>(keys.login(email, claim?.user_id ?? NO_ID))
  return login ? [login] : []
}
