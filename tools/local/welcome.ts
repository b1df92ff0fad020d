import { relative } from 'node:path'
import { stateFiles } from '#tools/local/state.ts'

export interface Welcome {
  baseUrl: string
  email: string
  /** unknown when somebody chose it at another start */
  password: string | undefined
  userId: number
  memory: boolean
  endpoint: string
  tableName: string
  /** from the first line to here */
  seconds: number
}

/** What a person needs first: where it is, who they are, and lines that work when pasted. */
export const welcome = ({ baseUrl, email, password, userId, memory, endpoint, tableName, seconds }: Welcome): string => `
Masthead is ready after ${seconds.toFixed(1)} s: ${baseUrl}

  admin     ${email}
  password  ${password ?? 'as it was set when this admin was made'}
  data      ${memory ? 'in memory, gone when this ends' : `${relative('', stateFiles.data)}, \`npm start -- --reset\` begins anew`}
  DynamoDB  ${endpoint}, table ${tableName}

Log in, make a blog, publish a post:

  API=${baseUrl}
  TOKEN=$(curl -s $API/login ${sends({ email, password: password ?? '...' })} | ${pick('token')})
  BLOG=$(curl -s $API/tenants/1/users/${userId}/blogs ${bearer} ${sends({ title: 'My blog' })} | ${pick('blog.id')})
  curl -s $API/blogs/$BLOG/posts ${bearer} ${sends({ title: 'Hello', body: 'World' })}

Ctrl-C ends it.
`

const bearer = '-H "Authorization: Bearer $TOKEN"'
const sends = (body: object) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`
const pick = (field: string) => `node -p 'JSON.parse(fs.readFileSync(0)).${field}'`
