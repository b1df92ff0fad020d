import { type Bill, metered } from '#tests/cost/meter.ts'
import { blogOf, loadedAt, loadedId, newStage } from '#tests/cost/requests.ts'
import { call } from '#tests/support/call.ts'
import { toMarkdown } from './report.ts'
import { median } from './statistics.ts'

const REPEATS = 21

type Cost = { bill: Bill; ms: number }

/** What people do in a blog of 100 posts and in one of very many, loaded straight into the table: what it asks of it, and how long it takes. */
export async function million(posts: number, progress: (text: string) => void): Promise<{ table: string; wrong: string[] }> {
  const stage = await newStage()
  const as = stage.house.author
  const costs: Record<string, Cost>[] = []
  for (const size of [100, posts]) {
    const blog_id = await blogOf(stage, size, (made) => progress(`${made} of ${size} posts`))
    costs.push(await costsIn(as, blog_id, size))
  }
  const [few = {}, many = {}] = costs
  const rows = Object.keys(few).map((name) => [name, ...[few, many].flatMap((each) => cellsOf(each[name] as Cost))])
  const differing = Object.keys(few).filter((name) => JSON.stringify(few[name]?.bill) !== JSON.stringify(many[name]?.bill))
  return {
    table: toMarkdown(['', 'RCU of 100', 'WCU', 'ms', `RCU of ${posts}`, 'WCU', 'ms'], rows),
    wrong: differing.map((name) => `${name} costs more among ${posts} posts than among 100`),
  }
}

const cellsOf = ({ bill, ms }: Cost): string[] => [String(bill.rcu), String(bill.wcu), ms.toFixed(1)]

async function costsIn(as: { token: string }, blog_id: number, size: number): Promise<Record<string, Cost>> {
  const post_id = loadedId(size / 2)
  const created_before = new Date(loadedAt(size / 2)).toISOString()
  const create = () => call('createPost', { as, params: { blog_id }, body: { title: 'New', body: 'New' } })
  const made: number[] = []
  for (let n = 0; n <= REPEATS; n++) made.push((await create()).body.id)
  return {
    show: await cost(() => call('showPost', { as, params: { blog_id, post_id } })),
    'list, first page': await cost(() => call('listPosts', { as, params: { blog_id } })),
    'list, a page in the middle': await cost(() => call('listPosts', { as, params: { blog_id }, query: { created_before } })),
    create: await cost(create),
    update: await cost(() => call('updatePost', { as, params: { blog_id, post_id }, body: { title: 'Renamed' } })),
    delete: await cost(() => call('deletePost', { as, params: { blog_id, post_id: made.pop() as number } })),
  }
}

/** What one costs, and the median time of others. */
async function cost(work: () => Promise<{ status: number }>): Promise<Cost> {
  const { result, bill } = await metered(work)
  if (result.status >= 300) throw new Error(`Answered ${result.status}`)
  const times: number[] = []
  while (times.length < REPEATS) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  return { bill, ms: median(times) }
}
