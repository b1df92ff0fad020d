import type { Bill } from './meter.ts'

/** What one kind of request costs: measured and compared exactly by units.test.ts, shown by tests/bench/COST.md. */
export interface Row extends Bill {
  /** the function in serverless.yml */
  name: string
  /** which of its requests, where they differ */
  when: string
  /** why it is more than the rule for its kind says */
  because: string
}

/**
 * Every route at least once, with the bearer's check in it (1 call, 1 step, 1 RCU) and, for a write that does not say otherwise,
 * the tenant's count of writes (1 call side by side, 1 WCU: one tenant cannot take the table from the others). Records are under
 * 1 KB unless said otherwise.
 * The rules: a show reads its record and one anchor per parent in its path, a list ceil(bytes / 4096) and the same; a transaction
 * counts double; an update is none.
 */
const TABLE = `
  listTenants     |                          |  2  2  2   0 |
  createTenant    |                          |  3  2  1   5 |
  showTenant      |                          |  2  2  2   0 |
  updateTenant    |                          |  3  2  1   2 |
  deleteTenant    |                          |  3  2  1   5 |
  createQuote     |                          |  3  2  2   1 |
  listUsers       |                          |  3  2  3   0 |
  createUser      |                          |  3  2  1  13 |
  showUser        |                          |  2  2  3   0 |
  updateUser      | its name                 |  4  2  2   2 |
  updateUser      | its role                 |  4  3  4   7 | an identity is read first: a role stands in two items and every token
  updateUser      | its password             |  4  3  4   9 | an identity is read first: it lives in three items and every token
  updateUser      | its email                |  5  4  5  13 | the login stands under the email: it is found, then moved
  deleteUser      |                          |  3  3  4  12 | an identity is read first: it lives in three items, a claim and every token; it is not counted
  listBlogs       |                          |  3  2  4   0 |
  createBlog      |                          |  3  2  1   9 |
  showBlog        |                          |  2  2  4   0 |
  updateBlog      |                          |  4  2  3   2 |
  deleteBlog      |                          |  4  2  3   5 |
  listPosts       | 20 of 1 KB               |  3  2  8   0 |
  createPost      |                          |  3  2  1   7 |
  createPost      | of 3 KB                  |  3  2  1  11 |
  createPost      | in somebody else's blog  |  4  3  1   7 | a refused transaction says who owns the blog; AWS bills it too
  createPost      | under an idempotency key |  3  2  1  11 | the key, and that its sender is still there
  createPost      | under that key again     |  3  2  1   1 | a refused transaction holds the answer; AWS bills it too
  showPost        |                          |  2  2  3   0 |
  updatePost      |                          |  4  2  2   2 |
  deletePost      |                          |  4  2  2   5 |
  listComments    | by the post              |  3  2  3   0 |
  listComments    | by the blog and the post |  3  2  4   0 |
  createComment   | by the post              |  3  2  1   5 |
  createComment   | by the blog and the post |  3  2  1   7 |
  deleteComment   | by the post              |  4  2  2   2 |
  deleteComment   | by the blog and the post |  4  2  3   5 | a transaction: under a wrong blog nothing may go
  login           |                          | 11  3  4  12 | one read is beside the hash; guesses are counted beside the first, forgiven beside the transaction
  login           | with its tenant          | 12  4  5  12 | the claim says which user; its guesses are counted apart
  login           | with a wrong password    |  7  2  4   3 | one read is beside the hash; guesses are counted beside the first
  createSession   |                          | 10  3  4   6 | one read is beside the hash; guesses are counted beside the first, forgiven after the hash
  deleteSessions  |                          |  2  2  1   4 | it is not counted
  deleteSessions  | by a JWT                 |  2  2  1   4 | it is not counted
  showProfile     |                          |  2  2  2   0 |
  listApiKeys     |                          |  2  2  2   0 |
  createApiKey    |                          |  3  2  1   5 |
  deleteApiKey    |                          |  2  2  1   4 | it is not counted
`

export const ROWS: Row[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [name = '', when = '', numbers = '', because = ''] = line.split('|').map((cell) => cell.trim())
    const [calls = 0, steps = 0, rcu = 0, wcu = 0] = numbers.split(/\s+/).map(Number)
    return { name, when, because, calls, steps, rcu, wcu }
  })

/** A million request units of a table on demand, in US dollars: https://aws.amazon.com/dynamodb/pricing/on-demand/ (us-east-1, 2026). */
const PRICE = { rcu: 0.125, wcu: 0.625 }

const dollars = ({ rcu, wcu }: Bill): string => (rcu * PRICE.rcu + wcu * PRICE.wcu).toFixed(2)

const lineOf = (cells: (string | number)[]): string => `| ${cells.join(' | ')} |`

/** The table as a page of documentation. */
export const COST_PAGE = `<!-- Generated from tests/cost/table.ts: npx vitest run tests/cost -u -->
# What a request asks of DynamoDB

Counted by \`npm test\` on every change, exactly, and the same at a hundred records as at a million. The bearer's check is in each
row, and in each write 1 WCU that counts the tenant's writes, unless it says otherwise. Steps are round trips in sequence; dollars
are for a million requests on demand in us-east-1, without Lambda and API Gateway.

| Function | | Calls | Steps | RCU | WCU | $ | |
| --- | --- | --: | --: | --: | --: | --: | --- |
${ROWS.map((row) => lineOf([`\`${row.name}\``, row.when, row.calls, row.steps, row.rcu, row.wcu, dollars(row), row.because])).join('\n')}

A deleted parent is cleaned up by the cascade: 1 WCU for a comment, 3 for a post or a blog.
`
