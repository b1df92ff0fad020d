import { describe, expect, test } from 'vitest'
import {
  absent,
  type Clause,
  conditionOf,
  either,
  equals,
  exists,
  expiredBy,
  lacks,
  matches,
  newWriteId,
  not,
  updateOf,
  versionIn,
} from '#lib/table/expressions.ts'

describe('a condition', () => {
  test.each<[string, Clause[], string, object, object | undefined]>([
    ['that there is an item', [exists], 'attribute_exists(#pk)', { '#pk': 'pk' }, undefined],
    ['that there is none', [absent], 'attribute_not_exists(#pk)', { '#pk': 'pk' }, undefined],
    ['that an attribute is missing', [lacks('purging')], 'attribute_not_exists(#purging)', { '#purging': 'purging' }, undefined],
    ['that an attribute has a value', [equals('rev', 3)], '#rev = :0', { '#rev': 'rev' }, { ':0': 3 }],
    ['that it has not', [not(equals('role', 'admin'))], 'NOT #role = :0', { '#role': 'role' }, { ':0': 'admin' }],
    [
      'of one of several',
      [either(absent, expiredBy(60))],
      '(attribute_not_exists(#pk) OR #expires_at <= :0)',
      { '#pk': 'pk', '#expires_at': 'expires_at' },
      { ':0': 60 },
    ],
    [
      'of several',
      [exists, equals('a', 1), equals('b', 1)],
      'attribute_exists(#pk) AND #a = :0 AND #b = :1',
      { '#pk': 'pk', '#a': 'a', '#b': 'b' },
      { ':0': 1, ':1': 1 },
    ],
    [
      'of one attribute twice',
      [either(equals('a', 1), equals('a', 2))],
      '(#a = :0 OR #a = :1)',
      { '#a': 'a' },
      { ':0': 1, ':1': 2 },
    ],
    [
      'of every fact',
      matches({ blog_id: 5, user_id: 6 }),
      '#blog_id = :0 AND #user_id = :1',
      { '#blog_id': 'blog_id', '#user_id': 'user_id' },
      { ':0': 5, ':1': 6 },
    ],
    [
      'of one of the versions',
      [versionIn([2, 3])],
      '(#version = :0 OR #version = :1)',
      { '#version': 'version' },
      { ':0': 2, ':1': 3 },
    ],
    ['of no version, which never holds', [versionIn([])], '(#version = :0)', { '#version': 'version' }, { ':0': 0 }],
  ])('%s', (_what, clauses, ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues) => {
    expect(conditionOf(clauses)).toEqual({
      ConditionExpression,
      ExpressionAttributeNames,
      ...(ExpressionAttributeValues && { ExpressionAttributeValues }),
    })
  })

  test('names no values where it has none: DynamoDB refuses an empty map', () => {
    expect(Object.keys(conditionOf([exists]))).toEqual(['ConditionExpression', 'ExpressionAttributeNames'])
  })

  test('starts from nothing each time', () => {
    const clause = equals('rev', 1)
    expect(conditionOf([clause])).toEqual(conditionOf([clause]))
  })
})

describe('an update', () => {
  test('sets and removes under a condition, every attribute by a name and every value by a placeholder', () => {
    const set = { role: 'author', token_digest: undefined, mark: 5, token_expires_at: undefined }
    expect(updateOf({ set }, [exists, equals('rev', 2)])).toEqual({
      UpdateExpression: 'SET #role = :0, #mark = :1 REMOVE #token_digest, #token_expires_at',
      ConditionExpression: 'attribute_exists(#pk) AND #rev = :2',
      ExpressionAttributeNames: {
        '#role': 'role',
        '#mark': 'mark',
        '#token_digest': 'token_digest',
        '#token_expires_at': 'token_expires_at',
        '#pk': 'pk',
        '#rev': 'rev',
      },
      ExpressionAttributeValues: { ':0': 'author', ':1': 5, ':2': 2 },
    })
  })

  test('begins what is missing, and adds from 0 where it is missing', () => {
    expect(updateOf({ begin: { ends_at: 60 }, add: { failures: 1 } }, [exists])).toMatchObject({
      UpdateExpression: 'SET #ends_at = if_not_exists(#ends_at, :0), #failures = if_not_exists(#failures, :1) + :2',
      ExpressionAttributeNames: { '#ends_at': 'ends_at', '#failures': 'failures', '#pk': 'pk' },
      ExpressionAttributeValues: { ':0': 60, ':1': 0, ':2': 1 },
    })
  })

  test('removes nothing where nothing is to be removed', () => {
    expect(updateOf({ set: { title: '' } }, [exists]).UpdateExpression).toBe('SET #title = :0')
  })

  test('keeps what is empty, false or null', () => {
    const { ExpressionAttributeValues } = updateOf({ set: { a: '', b: false, c: null, d: 0 } }, [exists])
    expect(ExpressionAttributeValues).toEqual({ ':0': '', ':1': false, ':2': null, ':3': 0 })
  })
})

test('a write has a name that no other has', () => {
  expect(new Set(Array.from({ length: 100 }, newWriteId)).size).toBe(100)
})
