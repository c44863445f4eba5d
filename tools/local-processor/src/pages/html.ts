/** HTML that is safe to insert into a page. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

type Part = string | number | Html | readonly Html[] | null | undefined;

/** A template tag that escapes its values, except {@link Html}; null and undefined become empty. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  const written = values.map(render);
  return new Html(strings.map((text, index) => text + (written[index] ?? '')).join(''));
}

function render(value: Part): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replaceAll(/[&<>"']/g, character => ESCAPES[character] ?? character);
}

export interface Page {
  readonly title: string;
  readonly body: Html;
}
