import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from '@billing/client';

const { WEBHOOK_SECRET: secret, PORT: port = 3000 } = process.env;
createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await text(request), request.headers, secret);
    // The same event may come twice: note its id with what you do.
    console.log(event.id, event.type, event.object.id);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(400).end(error.message);
  }
}).listen(port);
