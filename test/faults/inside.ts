/** Runs inside the proxy before it starts; a signal brings the fault about. */
export const onSignal = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2',()=>{${code}})`)}`,
});
