import { dictionary } from '@zxcvbn-ts/language-common';

/** About 50,000 passwords that are the most frequent in published breaches, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);
