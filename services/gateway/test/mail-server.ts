import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';

/** Starts a mail server that keeps what it receives. SMTP: https://www.rfc-editor.org/rfc/rfc5321 */
export async function startMailServer() {
  const messages: string[] = [];
  const server = createServer(socket => {
    let message: string[] | undefined;
    let rest = '';
    const reply = (line: string) => void socket.write(`${line}\r\n`);
    const receive = (line: string) => {
      if (message !== undefined) {
        if (line !== '.') return void message.push(line);
        messages.push(message.join('\n'));
        message = undefined;
        return reply('250 ok');
      }
      switch (line.slice(0, 4).toUpperCase()) {
        case 'DATA':
          message = [];
          return reply('354 go on');
        case 'QUIT':
          reply('221 bye');
          return void socket.end();
        default:
          return reply('250 ok');
      }
    };
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) receive(line);
    });
    reply('220 mail.example');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, // a server on a TCP port has this kind of address
    messages,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a message with its headers and its text as they are shown. https://www.rfc-editor.org/rfc/rfc2047 */
export function decodedMail(message: string): string {
  const at = message.indexOf('\n\n');
  const [headers, text] = [message.slice(0, at).replaceAll(/\?=\s+=\?/g, '?==?'), message.slice(at)];
  const decodeWord = (_: string, kind: string, word: string) =>
    kind === 'B' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' '));
  const shown = headers.replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, decodeWord).replaceAll(/\n\s+/g, ' ');
  return shown + (/^content-transfer-encoding: quoted/im.test(headers) ? decodeQuoted(text) : text);
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll('=\n', '')
      .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();
