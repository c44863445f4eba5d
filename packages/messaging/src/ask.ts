import type { NatsConnection } from '@nats-io/transport-node';
import { RequestError } from '@nats-io/transport-node';
import { headers } from '@nats-io/transport-node';
import { Problem, PROBLEM_STATUS, unavailable, type ProblemKind } from '@billing/contracts/problem';
import type { QuestionType } from '@billing/contracts/question';
import type { Logger } from 'pino';
import { z } from 'zod';
import { currentTrace, withinTrace } from './trace-carrier.ts';

/** What a service may ask others. */
export interface Asking {
  /**
   * Asks the owner and waits for its answer.
   * @throws Problem what the owner answered, or `unavailable` when no copy of it answers in time
   */
  ask<Asked extends z.ZodType, Answer extends z.ZodType>(
    question: QuestionType<Asked, Answer>,
    asked: z.output<Asked>,
    timeoutMs?: number,
  ): Promise<z.output<Answer>>;
}

const DEFAULT_TIMEOUT_MS = 3_000;

const reply = z.union([
  z.object({ answer: z.unknown() }),
  z.object({
    problem: z.object({
      kind: z.enum(Object.keys(PROBLEM_STATUS) as [ProblemKind, ...ProblemKind[]]), // an object's keys are typed as string
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

/** Outside of the subjects the stream keeps. */
const subjectOf = (root: string, question: QuestionType) => `${root}-ask.${question.name}`;

/** Asks over the broker's request–reply. */
export function openAsking({ nats, root }: { nats: NatsConnection; root: string }): Asking {
  return {
    async ask(question, asked, timeoutMs = DEFAULT_TIMEOUT_MS) {
      const carried = headers();
      for (const [key, value] of Object.entries(currentTrace())) carried.set(key, value);
      const body = JSON.stringify(question.asked.encode(asked));
      const message = await nats
        .request(subjectOf(root, question), body, { timeout: timeoutMs, headers: carried })
        .catch((err: unknown) => {
          const why = err instanceof RequestError ? 'nobody answers' : 'no answer in time';
          throw unavailable(`The ${question.owner} service is not reachable at the moment (${why}).`, 2, {
            cause: err,
          });
        });
      const answered = reply.parse(message.json());
      if ('problem' in answered) {
        const { kind, code, message: text, details } = answered.problem;
        throw new Problem(kind, code, text, details ? { details } : {});
      }
      return question.answer.parse(answered.answer);
    },
  };
}

/** Answers a question for every copy of the asking services; copies of this service share the work. */
export function answer<Asked extends z.ZodType, Answer extends z.ZodType>(
  { nats, root, logger }: { nats: NatsConnection; root: string; logger: Logger },
  question: QuestionType<Asked, Answer>,
  find: (asked: z.output<Asked>) => Promise<z.output<Answer>>,
): () => Promise<void> {
  const subscription = nats.subscribe(subjectOf(root, question), { queue: question.owner });
  const respond = async (body: unknown): Promise<unknown> => {
    try {
      return { answer: question.answer.encode(await find(question.asked.parse(body))) };
    } catch (err) {
      if (err instanceof Problem) {
        const { kind, code, message, details } = err;
        return { problem: { kind, code, message, details } };
      }
      logger.error({ err, question: question.name }, 'question not answered');
      return { problem: { kind: 'unavailable', code: 'unavailable', message: 'The question could not be answered.' } };
    }
  };
  const answering = (async () => {
    for await (const message of subscription) {
      const trace = { traceparent: message.headers?.get('traceparent') ?? '' };
      void withinTrace(trace, () => respond(message.json())).then(it => message.respond(JSON.stringify(it)));
    }
  })();
  return async () => {
    await subscription.drain();
    await answering;
  };
}
