import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatMoney } from '@billing/contracts/money-format';
import { PORTAL_LANGUAGES } from '@billing/contracts/resources/portal-session';
import { readerLanguage } from './reader-language.ts';

it.each([
  [undefined, 'en', 'en'],
  ['', 'en', 'en'],
  ['*', 'en', 'en'],
  ['de', 'de', 'de'],
  ['de-CH, en;q=0.5', 'de', 'de-CH'],
  ['en;q=0.5, fr-CA', 'fr', 'fr-CA'],
  ['de;q=0, fr', 'fr', 'fr'],
  ['pt', 'pt-BR', 'pt'],
  ['ar-EG, en-GB;q=0.5', 'en', 'en-GB'],
  ['ar-EG', 'en', 'en'],
  ['fr-u-nu-arab', 'fr', 'fr'],
  ['de-AT-u-ca-buddhist', 'de', 'de-AT'],
  ['xx-invalid-language-tag-that-is-far-too-long, pt-BR;q=0.2', 'pt-BR', 'pt-BR'],
  ['<script>, ja', 'ja', 'ja'],
  [`${'zz,'.repeat(5_000)}de`, 'en', 'en'],
])('reads %j as %s in the locale %s', (accepted, language, locale) => {
  expect(readerLanguage({ accepted })).toEqual({ language, locale });
});

it.each([
  [{ query: 'de', link: 'fr', accepted: 'it' }, 'de', 'de'],
  [{ link: 'fr-CH', accepted: 'it' }, 'fr', 'fr-CH'],
  [{ link: 'fr', customer: 'sv', accepted: 'it' }, 'fr', 'fr'],
  [{ customer: 'sv-FI', accepted: 'it' }, 'sv', 'sv-FI'],
  [{ query: 'de', accepted: 'it, de-AT;q=0.1' }, 'de', 'de-AT'],
  [{ query: 'xx', link: 'zh', accepted: 'it' }, 'it', 'it'],
  [{ accepted: 'zh-CN' }, 'en', 'en'],
  [{ accepted: 'zh-CN', project: 'pl' }, 'pl', 'pl'],
  [{ accepted: 'zh-CN, it;q=0.1', project: 'pl' }, 'it', 'it'],
] as const)('takes the strongest of the wishes %j', (wishes, language, locale) => {
  expect(readerLanguage(wishes)).toEqual({ language, locale });
});

it('returns a language of the portal and a usable locale for any wishes', () => {
  const wishes = fc.record({ query: fc.string(), link: fc.string(), accepted: fc.string() }, { requiredKeys: [] });
  fc.assert(
    fc.property(wishes, any => {
      const { language, locale } = readerLanguage(any);
      expect(PORTAL_LANGUAGES).toContain(language);
      expect(() => formatMoney(1, 'usd', locale)).not.toThrow();
    }),
  );
});
