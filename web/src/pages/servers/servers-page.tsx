export default function ServersPage() {
  return <h1>Servers</h1>;
}
