import { html } from 'hono/html';
import type { Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';
import type { Texts } from './texts.ts';

/** A page with one message and what the reader can do. */
export interface Message {
  readonly title: MessageKey;
  readonly text: MessageKey;
}

export const LINK_EXPIRED: Message = { title: 'linkExpired', text: 'linkExpiredText' };

export const OPEN_LINK_AGAIN: Message = { title: 'openLinkAgain', text: 'openLinkAgainText' };

export const NOT_FOUND: Message = { title: 'notFound', text: 'notFoundText' };

export const UNAVAILABLE: Message = { title: 'unavailable', text: 'unavailableText' };

export const ACTION_FAILED: Message = { title: 'actionFailed', text: 'actionFailedText' };

/** Returns the content of a page with one message. */
export function messageContent({ title, text }: Message, texts: Texts): Html {
  return html`<div class="card">
    <h1>${texts.text(title)}</h1>
    <p>${texts.text(text)}</p>
  </div>`;
}
