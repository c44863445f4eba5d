import type { DeadLetterWithData } from '@billing/contracts/resources/dead-letter';
import type { OwnedDeadLetter } from '@billing/messaging/find-dead-letters';

const COLUMNS = ['ID', 'TEAM', 'CONSUMER', 'TYPE', 'STATUS', 'ATTEMPTS', 'FAILED AT', 'ERROR'] as const;
const LONGEST_ERROR = 80;

/** Returns a table of dead letters, and how many there are in all. */
export function formatList(letters: readonly OwnedDeadLetter[], total: number): string {
  if (total === 0) return 'no dead letters';
  const rows = letters.map(({ teamId, letter, cause }) => [
    letter.id,
    teamId,
    letter.consumer,
    letter.type,
    letter.status,
    String(letter.attempts),
    letter.failedAt.toISOString(),
    cut(oneLine(cause)),
  ]);
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)));
  const lines = [COLUMNS, ...rows].map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const left = total - letters.length;
  return [...lines, left > 0 ? `and ${left} more: add --limit ${total}` : `${total} in all`].join('\n');
}

/** Returns everything about a dead letter. */
export function formatLetter({ teamId, letter, cause }: OwnedDeadLetter<DeadLetterWithData>): string {
  const { data, ...fields } = letter;
  const lines = Object.entries({ ...fields, team: teamId, cause: oneLine(cause) }).map(
    ([name, value]) => `${name.padEnd(11)}${value instanceof Date ? value.toISOString() : String(value)}`,
  );
  return [...lines, 'data', JSON.stringify(data, null, 2)].join('\n');
}

/** A dead letter as JSON has it. */
export const toJson = ({ teamId, letter, cause }: OwnedDeadLetter): object => ({
  ...letter,
  teamId,
  cause,
});

/** What others wrote must not move the cursor of a terminal, or begin a new row. */
// eslint-disable-next-line no-control-regex -- the pattern replaces control characters
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');

const cut = (text: string): string => (text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR - 1)}…` : text);
