import type { z } from 'zod';
import type { ServiceName } from './operation.ts';

/** A question one service may ask another over the bus, with the shapes of both sides. */
export interface QuestionType<Asked extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  readonly owner: ServiceName;
  /** `<owner>.<question>.v1` */
  readonly name: string;
  readonly asked: Asked;
  readonly answer: Answer;
}

/** Declares a question that `owner` answers. */
export function question<Asked extends z.ZodType, Answer extends z.ZodType>(
  owner: ServiceName,
  name: string,
  asked: Asked,
  answer: Answer,
): QuestionType<Asked, Answer> {
  return { owner, name: `${owner}.${name}.v1`, asked, answer };
}
