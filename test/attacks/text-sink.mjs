// Takes the place of the program under test when only the machine is to be busy: reads every body, makes a value of it and writes it back,
// in a process of its own. Prints its port.
import { createServer } from 'node:http';

const server = createServer((req, res) => {
  let text = '';
  req.setEncoding('utf8').on('data', (part) => (text += part));
  req.on('end', () => {
    const body = JSON.stringify(JSON.parse(text));
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
