// Takes the place of the program under test when only the machine is to be busy: reads every body, makes a value of it and writes it back,
// in a process of its own. Prints its port.
import { createServer } from 'node:http';

const server = createServer((req, res) => {
  let text = '';
  req.setEncoding('utf8').on('data', (part) => (text += part));
  req.on('end', () => {
    const value = JSON.parse(text);
    // Asked for a long answer it gives one, after having read it as the program would.
    const characters = value.name === 'giants:long' ? value.args.characters : 0;
    const answer = characters ? JSON.parse(JSON.stringify({ text: 'a. '.repeat(characters / 3) })) : value;
    const body = JSON.stringify(answer);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    res.writeHead(200, headers).end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
