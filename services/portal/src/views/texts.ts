import { LRUCache } from 'lru-cache';
import { IntlMessageFormat } from 'intl-messageformat';
import { html } from 'hono/html';
import type { ReaderLanguage } from '#domain/reader-language.ts';
import type { Html } from './html.ts';
import { MESSAGES, type MessageKey } from './messages/messages.ts';

/** The arguments of a message. */
type TextValues = Readonly<Record<string, string | number>>;
type HtmlValues = Readonly<Record<string, string | number | Html>>;

/** The texts of the portal in a reader's language; amounts and dates follow the locale. */
export interface Texts extends ReaderLanguage {
  /** Returns a text without markup. @throws Error when an argument is missing */
  text(key: MessageKey, values?: TextValues): string;
  /** Returns a text with markup; arguments may have some too. @throws Error when an argument is missing */
  html(key: MessageKey, values?: HtmlValues): Html;
}

const MAX_LOCALES = 100;
const formats = new LRUCache<string, Map<MessageKey, IntlMessageFormat>>({ max: MAX_LOCALES });

const MARKUP = {
  hidden: (chunks: unknown[]): Html => html`<span class="visually-hidden">${chunks}</span>`,
  b: (chunks: unknown[]): Html => html`<strong>${chunks}</strong>`,
};
const NO_MARKUP = { hidden: join, b: join };

/** Returns the texts for a reader. */
export function textsFor({ language, locale }: ReaderLanguage): Texts {
  const known = formats.get(`${language} ${locale}`) ?? new Map<MessageKey, IntlMessageFormat>();
  formats.set(`${language} ${locale}`, known);
  const formatOf = (key: MessageKey): IntlMessageFormat => {
    const format = known.get(key) ?? new IntlMessageFormat(MESSAGES[language][key], locale);
    known.set(key, format);
    return format;
  };
  return {
    language,
    locale,
    text: (key, values) => join([formatOf(key).format<string>({ ...NO_MARKUP, ...values })].flat()),
    html: (key, values) => html`${formatOf(key).format<Html>({ ...MARKUP, ...values })}`,
  };
}

function join(chunks: readonly unknown[]): string {
  return chunks.map(String).join('');
}
