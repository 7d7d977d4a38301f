// Loaded into the program: counts on request which of its files run between two messages.
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
  );
await post('Profiler.enable');
await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
async function take() {
  const { result } = await post('Profiler.takePreciseCoverage');
  const isRun = ({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0);
  process.send(result.filter(isRun).map(({ url }) => url));
}
process.on('message', (message) => {
  if (message === 'take') void take();
});
