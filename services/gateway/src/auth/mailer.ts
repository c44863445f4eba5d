import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import type { MailText } from '#domain/mail-text.ts';
import type { SharedLimit } from '#limits/shared-limit.ts';
import { hashedKey } from './rate-limits.ts';

interface Message {
  readonly to: string;
  readonly subject: MailText;
  readonly text: MailText;
}

/** Sends e-mails. */
export interface Mailer {
  /**
   * Sends in the background, so that the response takes equally long for every address; failures are logged. Beyond the
   * limit of an address nothing is sent.
   */
  send(message: Message): void;
  close(): Promise<void>;
}

interface MailerOptions {
  /** For example `smtps://user:password@mail.example.com`. */
  readonly smtpUrl: string;
  /** The sender's address. */
  readonly from: string;
  /** How many mails an address gets. */
  readonly limit: SharedLimit;
  readonly logger: Logger;
}

/** How long a mail server may take to connect, to greet, and to respond, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Opens a connection to a mail server with the first message. */
export function openMailer({ smtpUrl, from, limit, logger }: MailerOptions): Mailer {
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
  async function sendWithin({ to, subject, text }: Message): Promise<void> {
    const { isAllowed } = await limit.take(hashedKey(to));
    if (!isAllowed) return logger.warn('an address gets no more mail this hour');
    // As an object: a text would be read as a list of addresses with names.
    await transport.sendMail({ subject: subject.written, text: text.written, to: { name: '', address: to } });
  }
  return {
    send(message) {
      const sending = sendWithin(message)
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
