import type { EntityManager } from '@mikro-orm/postgresql';
import { answerOf, runOnce, type IdempotentCall } from '@billing/service/idempotency';
import { z } from 'zod';
import { problemOf } from './answer-problem.ts';

interface AnswerOnceParts {
  readonly em: EntityManager;
  /**
   * The secret that an operation issued once more, for the key as it was shown.
   * @throws Problem when it cannot be told again
   */
  readonly secretAgain: (operationKey: string, shown: ShownKey) => string;
}

interface ShownKey {
  readonly prefix: string;
  readonly last4: string;
}

interface Asked {
  readonly call: IdempotentCall;
  readonly requestId: string;
  /** Status of a success. */
  readonly status: number;
}

interface OnceAnswered {
  readonly status: number;
  readonly body: object;
  readonly replayed: boolean;
}

/** Answers a request that carries an `Idempotency-Key`: `answer` runs once, a repeat gets what it answered. */
export type AnswerOnce = (asked: Asked, answer: (operationKey: string) => Promise<object>) => Promise<OnceAnswered>;

/** Keeps answers and refusals in the gateway's schema, but never a secret: that is made again for a repeat. */
export function answerOnce({ em, secretAgain }: AnswerOnceParts): AnswerOnce {
  return async ({ call, requestId, status }, answer) => {
    const { replayed, ...kept } = await runOnce(em, call, async operationKey => {
      try {
        return { status, body: JSON.stringify(withoutSecret(await answer(operationKey), operationKey)) };
      } catch (err) {
        const problem = problemOf(err);
        if (problem.isPassing) throw err;
        return answerOf(problem, requestId);
      }
    });
    return { status: kept.status, body: withSecret(kept.body, secretAgain), replayed };
  };
}

/** An answer that issued a secret, as it is kept. */
const issued = z.looseObject({
  apiKey: z.looseObject({ prefix: z.string(), last4: z.string() }),
  secretOf: z.uuid(),
});

function withoutSecret(answer: object, operationKey: string): object {
  if (!('secret' in answer)) return answer;
  const { secret: _secret, ...rest } = answer;
  return { ...rest, secretOf: operationKey };
}

function withSecret(kept: string, secretAgain: AnswerOnceParts['secretAgain']): object {
  const answer = z.looseObject({}).parse(JSON.parse(kept));
  const found = issued.safeParse(answer);
  if (!found.success) return answer;
  const { secretOf, ...rest } = found.data;
  return { ...rest, secret: secretAgain(secretOf, rest.apiKey) };
}
