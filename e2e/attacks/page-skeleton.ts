const TAG = /<(\/?[a-z][a-z0-9-]*)((?:[^"'<>]|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;

/** A page as a browser reads it, without its texts. */
export interface PageSkeleton {
  /** Every tag with the names of its attributes, in order. */
  readonly tags: readonly string[];
  /** The page's own style and script, without their nonces. */
  readonly assets: readonly string[];
  /** The targets of links and forms. */
  readonly targets: readonly string[];
}

/**
 * Reads the tags of a page.
 * @throws Error when a `<` belongs to no tag, or the page has a comment: both would hide something from this reading
 */
export function skeletonOf(page: string): PageSkeleton {
  const assets: string[] = [];
  const html = page
    .replace(/^<!doctype html>/, '')
    .replaceAll(/<(style|script) nonce="[^"]*">([\s\S]*?)<\/\1>/g, (_, name: string, content: string) => {
      assets.push(content);
      return `<${name}></${name}>`;
    });
  const rest = html.replaceAll(TAG, '');
  if (/[<>]/.test(rest)) throw new Error(`Something that is no tag: ${/.{0,60}[<>].{0,60}/.exec(rest)?.[0] ?? ''}`);
  const tags: string[] = [];
  const targets: string[] = [];
  for (const [, name = '', attributes = ''] of html.matchAll(TAG)) {
    const names = Array.from(attributes.matchAll(ATTRIBUTE), ([, attribute = '']) => attribute);
    tags.push([name, ...names].join(' '));
    for (const [, target = ''] of attributes.matchAll(/(?:href|action|src)="([^"]*)"/g)) targets.push(target);
  }
  return { tags, assets, targets };
}

/** Returns a text as HTML shows it. */
export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
