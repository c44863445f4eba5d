/** A text that a mail may have as it is. */
export interface MailText {
  readonly written: string;
}

/** Marks a text of ours, or one that may be a link, such as an address that was checked. */
export const verbatim = (written: string): MailText => ({ written });

/**
 * Returns a text of a mail, of a template. Its values are names that people chose, and become no links: mail clients make
 * them of addresses anywhere in a text. Values that are {@link MailText} stay as they are.
 */
export const mailText = (parts: TemplateStringsArray, ...values: readonly (string | MailText)[]): MailText =>
  verbatim(String.raw({ raw: parts }, ...values.map(it => (typeof it === 'string' ? inertName(it) : it.written))));

/**
 * What joins the parts of an address: dots of any script (https://www.unicode.org/reports/tr46/#IDNA_Mapping_Table), the
 * colon of a scheme, the backslash of a shared folder, and the @.
 */
const JOINT = /[.\u2024\u3002\ufe52\uff0e\uff61:\ufe55\uff1a\\\ufe68\uff3c@\ufe6b\uff20](?=\S)/gu;

/**
 * A space as narrow as they come, which ends an address for every mail client. A zero-width space does not: many take it
 * for a part of the address, and browsers drop it.
 */
const HAIR_SPACE = '\u200a';

/** Returns a name on one line, without what shows nothing or turns the direction of the text, and without addresses. */
const inertName = (name: string): string =>
  name
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .replaceAll(JOINT, `$&${HAIR_SPACE}`);
