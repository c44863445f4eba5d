import { html } from 'hono/html';
import type { Html } from './html.ts';

/** A page with one message and what the reader can do. */
export interface Message {
  readonly title: string;
  readonly text: string;
}

export const LINK_EXPIRED: Message = {
  title: 'This link has expired',
  text: 'Links to your billing work for a limited time. Go back to where you found this one and ask for a new link.',
};

export const OPEN_LINK_AGAIN: Message = {
  title: 'Open your billing link again',
  text: 'You are back from the payment page, but this browser no longer knows which billing page is yours. Open your billing link to see the current status.',
};

export const NOT_FOUND: Message = {
  title: 'There is nothing here',
  text: 'The address may be incomplete. Open your billing link again.',
};

export const UNAVAILABLE: Message = {
  title: 'Your billing can’t be shown right now',
  text: 'This is on our side and will pass. Please try again in a minute.',
};

export const ACTION_FAILED: Message = {
  title: 'That didn’t go through',
  text: 'The payment processor couldn’t be reached, or it refused. Go back to see the current status, and try again.',
};

/** Returns the content of a page with one message. */
export function messageContent({ title, text }: Message): Html {
  return html`<div class="card">
    <h1>${title}</h1>
    <p>${text}</p>
  </div>`;
}
