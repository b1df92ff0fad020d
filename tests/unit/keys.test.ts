import { describe, expect, test } from 'vitest'
import { ANCHOR, anchors, type Collection, collections, type Key, keys, type TenantId } from '#lib/table/keys.ts'

const tenant = (id: number) => id as TenantId
const t = tenant(7)

describe('the chart of the table', () => {
  test.each<[string, Key, string, string]>([
    ['a tenant', keys.tenant(7), 'TENANTS', '0000000000000007'],
    ['a user', keys.user(t, 11), 'TENANT#7', 'USER#0000000000000011'],
    ['a blog', keys.blog(t, 11, 22), 'TENANT#7#USER#11', 'BLOG#0000000000000022'],
    ['a post', keys.post(t, 22, 33), 'TENANT#7#BLOG#22', 'POST#0000000000000033'],
    ['a comment', keys.comment(t, 33, 44), 'TENANT#7#POST#33', 'COMMENT#0000000000000044'],
    ["a tenant's anchor", anchors.tenant(t), 'TENANT#7', '#'],
    ["a user's anchor", anchors.user(t, 11), 'TENANT#7#USER#11', '#'],
    ["a blog's anchor", anchors.blog(t, 22), 'TENANT#7#BLOG#22', '#'],
    ["a post's anchor", anchors.post(t, 33), 'TENANT#7#POST#33', '#'],
    ['a claim', keys.claim(t, 'ada@example.org'), 'TENANT#7', 'EMAIL#ada@example.org'],
    ['a login', keys.login('ada@example.org', 11), 'EMAIL#ada@example.org', 'USER#0000000000000011'],
    ['a token', keys.token('ab'.repeat(32)), `TOKEN#${'ab'.repeat(32)}`, 'TOKEN'],
    ['a principal', keys.principal(11), 'USER#11', 'USER'],
    ['an idempotency key', keys.idempotency(t, 11, 'once'), 'TENANT#7#USER#11', 'IDEM#once'],
    ['an API key', keys.apiKey(11, 55), 'USER#11', 'KEY#0000000000000055'],
    ["a minute's writes", keys.writes(t, 29_000_000), 'WRITES#7', '0000000029000000'],
  ])('has %s in its place', (_what, key, pk, sk) => {
    expect(key).toEqual({ pk, sk })
  })

  test.each<[string, Collection, Key]>([
    ['tenants', collections.tenants(), keys.tenant(7)],
    ['users', collections.users(t), keys.user(t, 11)],
    ['blogs', collections.blogs(t, 11), keys.blog(t, 11, 22)],
    ['posts', collections.posts(t, 22), keys.post(t, 22, 33)],
    ['comments', collections.comments(t, 33), keys.comment(t, 33, 44)],
    ['logins', collections.logins('ada@example.org'), keys.login('ada@example.org', 11)],
    ['API keys', collections.apiKeys(11), keys.apiKey(11, 55)],
  ])('finds %s where they are kept, by their prefix and a padded id', (_what, { pk, prefix }, key) => {
    expect(key.pk).toBe(pk)
    expect(key.sk).toMatch(new RegExp(`^${prefix}\\d{16}$`))
  })

  test('has every anchor in the partition of what it is the anchor of, before all else', () => {
    const children: [Key, Key[]][] = [
      [anchors.tenant(t), [keys.user(t, 11), keys.claim(t, 'ada@example.org')]],
      [anchors.user(t, 11), [keys.blog(t, 11, 22), keys.idempotency(t, 11, '!')]],
      [anchors.blog(t, 22), [keys.post(t, 22, 33)]],
      [anchors.post(t, 33), [keys.comment(t, 33, 44)]],
    ]
    for (const [anchor, others] of children) {
      expect(others.map(({ pk }) => pk)).toEqual(others.map(() => anchor.pk))
      expect([anchor.sk, ...others.map(({ sk }) => sk)].toSorted()[0]).toBe(ANCHOR)
    }
  })

  test('sorts ids as numbers', () => {
    const ids = [1, 9, 10, 99, 4096, 2 ** 31, 2 ** 53 - 1]
    const sortKeys = ids.map((id) => keys.post(t, 22, id).sk)
    expect(sortKeys.toSorted()).toEqual(sortKeys)
  })

  test('never shares a partition between two tenants, whatever the ids', () => {
    const ids = [1, 2, 11, 12, 111, 211]
    const partitionsOf = (id: number): string[] => {
      const own = tenant(id)
      return [
        anchors.tenant(own).pk,
        keys.claim(own, 'ada@example.org').pk,
        collections.users(own).pk,
        ...ids.flatMap((n) => [
          keys.user(own, n).pk,
          keys.blog(own, n, 1).pk,
          keys.post(own, n, 1).pk,
          keys.comment(own, n, 1).pk,
          keys.idempotency(own, n, 'key').pk,
          anchors.user(own, n).pk,
          anchors.blog(own, n).pk,
          anchors.post(own, n).pk,
        ]),
      ]
    }
    const owners = new Map<string, number>()
    for (const id of ids) {
      for (const pk of partitionsOf(id)) {
        expect(owners.get(pk) ?? id).toBe(id)
        owners.set(pk, id)
      }
    }
    expect(owners.size).toBe(ids.length * (1 + ids.length * 3))
  })
})
