import { text } from '../text.ts';

/** Finds the records of a list by their customer or their amount, or else by another text. */
export const searchOf = (records: string, amount: string, or = '') =>
  text(256)
    .optional()
    .describe(
      `Only ${records} of customers whom \`search\` of \`GET P/customers\` finds, the 1,000 newest of them, or with this ${amount}, such as \`12.50\`, \`$1,250\` or \`12,50 €\`, in any currency${or}.`,
    );
