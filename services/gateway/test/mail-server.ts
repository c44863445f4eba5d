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
