import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mailText, verbatim } from './mail-text.ts';

/** What mail clients make links of needs one of these between two characters that are no space. */
const ADDRESS = /[^\s](?:[.。．｡․:\\@])[^\s]/u;
const inert = (name: string) => mailText`${name}`.written;

it.each([
  ['visit evil.example now', 'visit evil.\u200aexample now'],
  ['https://evil.example/x', 'https:\u200a//evil.\u200aexample/x'],
  ['https://evil。example', 'https:\u200a//evil。\u200aexample'],
  ['javascript:alert(1)', 'javascript:\u200aalert(1)'],
  ['\\\\192.0.2.1\\share', '\\\u200a\\\u200a192.\u200a0.\u200a2.\u200a1\\\u200ashare'],
  ['ada@evil.example', 'ada@\u200aevil.\u200aexample'],
  ['evil\u200b.\u200bexample', 'evil\u200b.\u200a\u200bexample'],
  ['Ada\r\n\r\nevil\texample', 'Ada evil example'],
  ['\u202eAda', 'Ada'],
  ['Acme Inc.', 'Acme Inc.'],
  ['Löwe & Söhne: "die" Besten?', 'Löwe & Söhne: "die" Besten?'],
])('makes no link of %j', (name, expected) => {
  expect(inert(name)).toBe(expected);
});

it('leaves no address in any name, and nothing else out of it', () => {
  const piece = fc.constantFrom(
    'evil',
    'example',
    '://',
    'www',
    '.',
    '。',
    '．',
    '@',
    ':',
    '\\',
    ' ',
    '\n',
    '\u200b',
    'ß',
  );
  const name = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(name, given => {
      const written = inert(given);
      expect(written).not.toMatch(ADDRESS);
      const shown = (text: string) => text.replaceAll(/[\s\p{Cc}\p{Bidi_Control}]/gu, '');
      expect(shown(written)).toBe(shown(given));
    }),
  );
});

it('keeps what is written here, and what is marked', () => {
  const link = 'https://billing.example/reset-password?token=x';
  expect(mailText`See ${verbatim(link)}: ${'a.b'}`.written).toBe(`See ${link}: a.\u200ab`);
});
