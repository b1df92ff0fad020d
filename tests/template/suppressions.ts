/** A finding that stays, and why. A rule's bracket (`IAM5[Resource::*]`) is part of its name; `*` stands for any text. */
export type Suppression = { rule: string; resource: string; reason: string }

/** https://github.com/cdklabs/cdk-nag/blob/main/RULES.md#awssolutions */
export const SUPPRESSIONS: Suppression[] = [
  {
    rule: 'AwsSolutions-APIG4',
    resource: 'HttpApiRoute*',
    reason:
      'Each function finds out itself who calls: an authorizer would be one more function, cold start and table read on every request.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::arn:*:log-group:/aws/lambda/masthead-prod-*:*]',
    resource: '*Role',
    reason: 'The log streams of the function’s own group, whose names Lambda makes.',
  },
  {
    rule: 'AwsSolutions-S1',
    resource: 'ServerlessDeploymentBucket',
    reason:
      'Holds artefacts that only a deployment reads and writes, which CloudTrail knows; its access log would need a bucket that has none.',
  },
  {
    rule: 'AwsSolutions-SQS3',
    resource: 'DeadLetters',
    reason: 'It is the dead-letter queue, of an event source mapping, which the rule does not look at.',
  },
  {
    rule: 'W8003',
    resource: 'Stack',
    reason: 'A condition stands for a parameter of the stage, whose value is known when osls compiles the template.',
  },
]
