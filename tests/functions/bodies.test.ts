import { beforeAll, describe, expect, test } from 'vitest'
import { type CallRequest, call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newTenant, type Person } from '#tests/support/world.ts'

const MIB = 1_048_576
const NOT_AN_OBJECT = { success: false, error: 'Request body is not a JSON object' }
const TOO_LARGE = { success: false, error: 'Request body is too large' }
const UNSUPPORTED = { success: false, error: 'Unsupported media type' }
const NOT_FOUND = { success: false, error: 'Not found' }
const FORBIDDEN = { success: false, error: 'Forbidden' }
const missing = (names: string) => ({ success: false, error: `param is missing or the value is empty: ${names}` })

const POST = { title: 'Hello', body: 'World' }
const JSON_POST = JSON.stringify(POST)

let admin: Person
let house: House
let foreign: House
let blog: { id: number }

beforeAll(async () => {
  admin = await newAdmin()
  ;[house, foreign] = await Promise.all([newTenant(admin), newTenant(admin)])
  blog = await newBlog(house.author)
})

const publish = (body: unknown, headers: Record<string, string> = {}) =>
  call('createPost', { as: house.author, params: { blog_id: blog.id }, body, headers })

const utf16 = Buffer.from(JSON_POST, 'utf16le')
const latin1 = Buffer.from('{"title":"caf\u00e9","body":"b"}', 'latin1')
const deep = (levels: number, inside = '') => '['.repeat(levels) + inside + ']'.repeat(levels)
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** A post of exactly so many bytes, by a field that posts do not have. */
const sized = (bytes: number, filler = 'x'): string => {
  const empty = JSON.stringify({ ...POST, ignored: '' }).length
  return JSON.stringify({ ...POST, ignored: filler.repeat((bytes - empty) / Buffer.byteLength(filler)) })
}

describe('a body', () => {
  test.each<[string, unknown]>([
    ['an opening brace', '{'],
    ['a key without a value', '{"title":}'],
    ['single quotes', "{'title':'a','body':'b'}"],
    ['a comma too many', '{"title":"a","body":"b",}'],
    ['a comment', '{"title":"a","body":"b"} // posts'],
    ['two objects', `${JSON_POST}${JSON_POST}`],
    ['a space alone', ' '],
    ['NaN as a value', '{"title":NaN,"body":"b"}'],
    ['a line break in a string', '{"title":"a\nb","body":"b"}'],
    ['a lone backslash', '{"title":"\\","body":"b"}'],
    ['half an escape', '{"title":"\\u12","body":"b"}'],
    ['undefined', 'undefined'],
    ['form parameters', 'title=a&body=b'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a list with a post', `[${JSON_POST}]`],
    ['text', '"title"'],
    ['a number', '1'],
    ['zero', '0'],
    ['true', 'true'],
    ['false', 'false'],
    ['a list of 5,000 levels', deep(5_000)],
    ['a BOM', `\uFEFF${JSON_POST}`],
    ['a BOM in base64', Buffer.from(`\uFEFF${JSON_POST}`)],
    ['a byte that is no UTF-8', Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xff), Buffer.from('","body":"b"}')])],
    ['Latin-1', latin1],
    ['UTF-16', utf16],
    ['an overlong NUL', Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xc0, 0x80), Buffer.from('","body":"b"}')])],
    [
      'an encoded surrogate',
      Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('","body":"b"}')]),
    ],
    ['half a character at its end', Buffer.concat([Buffer.from(JSON_POST), Buffer.of(0xe2, 0x82)])],
    ['__proto__', '{"title":"a","body":"b","__proto__":{"role":"admin"}}'],
    ['__proto__ instead of the fields', '{"__proto__":{"title":"a","body":"b"}}'],
    ['__proto__ in escapes', '{"title":"a","body":"b","\\u005f\\u005fproto__":null}'],
    ['__proto__ further in', '{"title":"a","body":"b","ignored":[{"__proto__":{}}]}'],
    ['constructor.prototype', '{"title":"a","body":"b","constructor":{"prototype":{"role":"admin"}}}'],
  ])('of %s is no JSON object: 400', async (_what, body) => {
    const made = await publish(body)
    expect({ status: made.status, body: made.body }).toEqual({ status: 400, body: NOT_AN_OBJECT })
    expect(({} as { role?: string }).role).toBeUndefined()
  })

  test.each<[string, unknown, string]>([
    ['there is none', undefined, 'title, body'],
    ['it is empty', '', 'title, body'],
    ['it is empty in base64', Buffer.alloc(0), 'title, body'],
    ['the object is empty', '{}', 'title, body'],
    ['the object is empty and wide', ' {\n\t} ', 'title, body'],
    ['one is there', '{"title":"a"}', 'body'],
    ['the other is there and wrong', '{"body":null}', 'title'],
    ['the names are in capitals', '{"Title":"a","BODY":"b"}', 'title, body'],
    ['they are one level down', '{"post":{"title":"a","body":"b"}}', 'title, body'],
  ])('is asked for the fields that are missing when %s: 400', async (_when, body, names) => {
    expect(await publish(body)).toMatchObject({ status: 400, body: missing(names) })
  })

  test.each<[string, string, object]>([
    ['of a repeated key takes the last', '{"title":"a","body":"b","title":"c"}', { title: 'c', body: 'b' }],
    ['of a repeated key takes the last, also when the first is wrong', '{"title":1,"body":"b","title":"c"}', { title: 'c' }],
    ['may have 500 levels in a field that posts do not have', `{"title":"a","body":"b","ignored":${deep(500)}}`, { title: 'a' }],
    [
      'may have huge numbers in such a field',
      '{"title":"a","body":"b","ignored":[1e999,-1e999,123456789012345678901234567890]}',
      {},
    ],
    ['may have the names of methods', '{"title":"a","body":"b","toString":1,"hasOwnProperty":1,"valueOf":null,"then":1}', {}],
    ['may have a constructor that is text', '{"title":"a","body":"b","constructor":"x","prototype":{}}', { title: 'a' }],
    ['may have white space around it', ` \r\n\t${JSON_POST}\n`, POST],
    ['may have escapes', '{"\\u0074itle":"\\u0041\\n\\u0000","body":"\\ud83d\\ude00"}', { title: 'A\n\0', body: '😀' }],
    [
      'sets nothing that only the service sets',
      '{"title":"a","body":"b","id":1,"user_id":1,"blog_id":1,"version":9}',
      { version: 1 },
    ],
  ])('%s: 201', async (_what, body, post) => {
    const made = await publish(body)
    expect(made).toMatchObject({ status: 201, body: { ...post, blog_id: blog.id, user_id: house.author.id } })
    const params = { blog_id: blog.id, post_id: made.body.id }
    expect((await call('showPost', { as: house.author, params })).body).toEqual(made.body)
    expect(Object.keys(made.body).toSorted()).toEqual(
      ['id', 'blog_id', 'user_id', 'title', 'body', 'created_at', 'updated_at', 'version'].toSorted(),
    )
  })

  test.each<[string, string, string[]]>([
    ['a huge number', '{"title":1e999,"body":"b"}', ['Title must be a string']],
    ['500 levels', `{"title":${deep(500)},"body":"b"}`, ['Title must be a string']],
    ['500 levels of objects', `{"title":"a","body":${deepObject(500)}}`, ['Body must be a string']],
    ['a lone high surrogate', '{"title":"a\\ud800","body":"b"}', ['Title contains invalid Unicode']],
    ['a lone low surrogate', '{"title":"a","body":"\\udc00b"}', ['Body contains invalid Unicode']],
    ['surrogates the wrong way round', '{"title":"\\ude00\\ud83d","body":"b"}', ['Title contains invalid Unicode']],
    ['null twice', '{"title":null,"body":null}', ['Title must be a string', 'Body must be a string']],
    ['blanks', '{"title":" \\u00a0\\ufeff","body":"\\n"}', ["Title can't be blank", "Body can't be blank"]],
  ])('with %s in a field is refused with every reason: 422', async (_what, body, error) => {
    expect(await publish(body)).toMatchObject({ status: 422, body: { success: false, error } })
  })

  // Where the parser gives up depends on the stack.
  test.each([5_000, 50_000, 100_000])(
    'of %i levels is refused or read, never kept and never an unexpected failure',
    async (levels) => {
      const answers = await Promise.all(
        [
          `{"title":"a","body":"b","ignored":${deep(levels)}}`,
          `{"title":${deep(levels)},"body":"b"}`,
          `{"title":"a","body":${deepObject(levels)}}`,
        ].map((body) => publish(body)),
      )
      const oneOf = (...statuses: number[]) => expect.toBeOneOf(statuses)
      expect(answers.map(({ status }) => status)).toEqual([oneOf(201, 400), oneOf(422, 400), oneOf(422, 400)])
    },
  )

  test('says in details which field each sentence belongs to', async () => {
    const { body } = await publish({ title: '', body: 1 })
    expect(body).toEqual({
      success: false,
      error: ["Title can't be blank", 'Body must be a string'],
      details: [
        { field: 'title', code: 'blank', message: "Title can't be blank" },
        { field: 'body', code: 'invalid_type', message: 'Body must be a string' },
      ],
    })
  })
})

describe('the content type', () => {
  test.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['application/json;charset=iso-8859-1'],
    ['application/json ; a=b; c="d;e"'],
    ['APPLICATION/JSON'],
    ['Application/Json; Charset=UTF-8'],
    [''],
  ])('%j is JSON', async (type) => {
    expect(await publish(JSON_POST, { 'content-type': type })).toMatchObject({ status: 201, body: POST })
  })

  test('may be missing', async () => {
    const { handler } = await import('#functions/posts/create.ts')
    const { contextFor, eventFor } = await import('#tests/support/call.ts')
    const event = eventFor('createPost', { as: house.author, params: { blog_id: blog.id }, body: JSON_POST })
    delete event.headers['content-type']
    expect(await handler(event, contextFor('createPost'))).toMatchObject({ statusCode: 201 })
  })

  test.each([
    ['text/plain'],
    ['text/json'],
    ['application/xml'],
    ['application/jsonp'],
    ['application/ld+json'],
    ['application/octet-stream'],
    ['multipart/form-data; boundary=x'],
    ['application/x-www-form-urlencoded'],
    ['text/plain, application/json'],
    ['json'],
  ])('%j is not supported here: 415', async (type) => {
    const made = await publish(JSON_POST, { 'content-type': type })
    expect({ status: made.status, body: made.body }).toEqual({ status: 415, body: UNSUPPORTED })
  })

  test.each(['login', 'createSession'])('of a form is for logins alone, and text is not even for %s', async (name) => {
    const text = { body: 'email=a&password=b', headers: { 'content-type': 'text/plain' } }
    expect(await call(name, text)).toMatchObject({ status: 415, body: UNSUPPORTED })
  })

  test('does not matter where no body is needed', async () => {
    const shown = await call('showProfile', { as: house.author, body: '<a/>', headers: { 'content-type': 'text/xml' } })
    expect(shown).toMatchObject({ status: 200, body: { id: house.author.id } })
  })
})

describe('the size', () => {
  test.each<[string, (text: string) => unknown]>([
    ['as text', (text) => text],
    ['in base64', (text) => Buffer.from(text)],
  ])('may be 1 MiB and no byte more, %s', async (_how, encode) => {
    expect(await publish(encode(sized(MIB)))).toMatchObject({ status: 201, body: POST })
    const refused = await publish(encode(sized(MIB + 1)))
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 413, body: TOO_LARGE })
  })

  test('is counted in bytes', async () => {
    const even = sized(MIB - ((MIB - JSON.stringify({ ...POST, ignored: '' }).length) % 2), 'é')
    expect(even.length).toBeLessThan(MIB * 0.6)
    expect(await publish(even)).toMatchObject({ status: 201 })
    expect(await publish(`${even}  `)).toMatchObject({ status: 413, body: TOO_LARGE })
  })

  test.each(['login', 'createSession'])('is limited for %s too, as JSON and as a form', async (name) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await call(name, { body: 'x'.repeat(MIB + 1) })).toMatchObject({ status: 413, body: TOO_LARGE })
    expect(await call(name, { body: 'x'.repeat(MIB + 1), headers: form })).toMatchObject({ status: 413, body: TOO_LARGE })
  })
})

describe('the order of the checks', () => {
  const NOWHERE = 4_711
  const large = 'x'.repeat(MIB + 1)
  const text = { 'content-type': 'text/plain' }

  test.each<[string, string, () => CallRequest, number, unknown]>([
    ['no route before no token', 'noSuchRoute', () => ({ body: large }), 404, NOT_FOUND],
    ['no token before path ids', 'createPost', () => ({ params: { blog_id: 'x' }, body: '{' }), 401, { error: 'Unauthorized' }],
    [
      'no token before a foreign tenant',
      'listUsers',
      () => ({ params: { tenant_id: foreign.tenant_id } }),
      401,
      { error: 'Unauthorized' },
    ],
    [
      'path ids before the role',
      'createPost',
      () => ({ as: house.reader, params: { blog_id: '01' }, body: '{' }),
      404,
      NOT_FOUND,
    ],
    [
      'a foreign tenant before the role',
      'createUser',
      () => ({ as: house.reader, params: { tenant_id: foreign.tenant_id }, body: '{' }),
      404,
      NOT_FOUND,
    ],
    [
      'the role before the size',
      'createPost',
      () => ({ as: house.reader, params: { blog_id: NOWHERE }, body: large }),
      403,
      FORBIDDEN,
    ],
    ['the role before the query', 'listTenants', () => ({ as: house.owner, query: 'limit=0' }), 403, FORBIDDEN],
    [
      'the size before the type',
      'createPost',
      () => ({ as: house.author, params: { blog_id: NOWHERE }, body: large, headers: text }),
      413,
      TOO_LARGE,
    ],
    [
      'the type before the form',
      'createPost',
      () => ({ as: house.author, params: { blog_id: NOWHERE }, body: '{', headers: text }),
      415,
      UNSUPPORTED,
    ],
    [
      'the form before the record',
      'createPost',
      () => ({ as: house.author, params: { blog_id: NOWHERE }, body: '{' }),
      400,
      NOT_AN_OBJECT,
    ],
    [
      'missing fields before wrong ones',
      'createPost',
      () => ({ as: house.author, params: { blog_id: NOWHERE }, body: { body: 1 } }),
      400,
      missing('title'),
    ],
    [
      'a field that one may not set before missing and wrong ones',
      'updateUser',
      () => ({
        as: house.reader,
        params: { tenant_id: house.tenant_id, user_id: house.reader.id },
        body: { role: 'x', name: 1 },
      }),
      403,
      FORBIDDEN,
    ],
    [
      'wrong fields before the record',
      'createPost',
      () => ({ as: house.author, params: { blog_id: NOWHERE }, body: { ...POST, title: 1 } }),
      422,
      { success: false, error: ['Title must be a string'] },
    ],
    [
      'a wrong query before the record',
      'listPosts',
      () => ({ as: house.author, params: { blog_id: NOWHERE }, query: 'limit=0' }),
      422,
      { success: false, error: ['Limit must be between 1 and 100'] },
    ],
    ['the record last', 'createPost', () => ({ as: house.author, params: { blog_id: NOWHERE }, body: POST }), 404, NOT_FOUND],
  ])('%s', async (_what, name, request, status, body) => {
    expect(await call(name, request())).toMatchObject({ status, body })
  })
})
