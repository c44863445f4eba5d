import type { Random } from './random.ts';

const FIRST = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Margaret',
  'Ken',
  'Radia',
  'Linus',
  'Zoë',
  'José',
  '美咲',
];
const LAST = [
  'Okafor',
  'Nguyen',
  'García',
  'Schmidt',
  'Rossi',
  'Kowalska',
  'Yılmaz',
  'Andersson',
  'Dubois',
  'Silva',
  'Haddad',
];

/** A person as an account knows them. */
interface Person {
  readonly email: string | null;
  readonly name: string | null;
}

const emailOf = (number: number): string => `customer${number}@example.com`;

/**
 * Returns the person behind the customer of this number: some have no e-mail, and some are there a second time, with the
 * e-mail of the customer before them.
 */
export function personOf(number: number, random: Random): Person {
  const name = random.chance(0.08)
    ? null
    : `${FIRST[number % FIRST.length]} ${LAST[Math.floor(number / FIRST.length) % LAST.length]}`;
  if (random.chance(0.04)) return { email: null, name };
  if (number === 0 || !random.chance(0.03)) return { email: emailOf(number), name };
  const email = emailOf(number - 1);
  return { email: random.chance(0.2) ? email.toUpperCase() : email, name };
}
