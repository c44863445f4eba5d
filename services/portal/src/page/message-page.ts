import { html } from 'hono/html';
import type { Html } from './html.ts';

/** A page that says one thing and what to do about it. */
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
  text: 'You are back from the payment page, but this browser no longer knows where you came from. Your billing link shows how things stand.',
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
  text: 'The payment processor couldn’t be reached or refused. Go back to look how things stand, and try again.',
};

/** The content of a page that says one thing. */
export function messageContent({ title, text }: Message): Html {
  return html`<div class="card">
    <h1>${title}</h1>
    <p>${text}</p>
  </div>`;
}
