import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';

/** Sends e-mails. */
export interface Mailer {
  /** Sends in the background, so that the response takes equally long for every address; failures are logged. */
  send(message: { readonly to: string; readonly subject: string; readonly text: string }): void;
  close(): Promise<void>;
}

interface MailerOptions {
  /** For example `smtps://user:password@mail.example.com`. */
  readonly smtpUrl: string;
  /** The sender's address. */
  readonly from: string;
  readonly logger: Logger;
}

/** How long a mail server may take to connect, to greet, and to respond, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Opens a connection to a mail server with the first message. */
export function openMailer({ smtpUrl, from, logger }: MailerOptions): Mailer {
  const transport = createTransport(
    {
      url: smtpUrl,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // Messages are ours; nothing in them names a file or a URL to include.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  const pending = new Set<Promise<unknown>>();
  return {
    send(message) {
      const sending = transport
        // As an object: a text would be read as a list of addresses with names.
        .sendMail({ ...message, to: { name: '', address: message.to } })
        .catch((err: unknown) => logger.error({ err }, 'could not send an e-mail'))
        .finally(() => pending.delete(sending));
      pending.add(sending);
    },
    async close() {
      await Promise.all(pending);
      transport.close();
    },
  };
}
