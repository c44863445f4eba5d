import { describe, expect, it } from 'vitest';
import { requireUncommonPassword } from './password.ts';

const person = { email: 'grace.hopper@acme.example', name: 'Grace Hopper' };
const check = (password: string) => requireUncommonPassword(password, person);

describe('a password', () => {
  it.each([
    ['qwertyuiop', 'common'],
    ['QwertyUiop', 'common'],
    ['Password123', 'common'],
    ['Baseball2026!', 'common'],
    ['aaaaaaaaaaaa', 'repeats'],
    ['abcabcabcabc', 'repeats'],
    ['grace.hopper@acme.example', 'e-mail'],
    ['Grace.Hopper1', 'e-mail'],
    ['gracehopper99', 'name'],
  ])('%j is refused', (password, reason) => {
    expect(() => check(password)).toThrow(expect.objectContaining({ code: 'password_too_common', status: 400 }));
    expect(() => check(password)).toThrow(reason);
  });

  it.each([
    'correct horse battery',
    'baseball under the bridge',
    'baseball-93-7461-22',
    '8204617395',
    'пароль-из-книги',
  ])('%j is accepted', password => {
    expect(() => check(password)).not.toThrow();
  });
});
