import { ChainCheck } from './chain-check.tsx';
import { ConfigForm } from './config-form.tsx';
import { PolicyReplay } from './policy-replay.tsx';
import { Tokens } from './tokens.tsx';
import './settings.css';

/** What an operator sets up now and then. */
export default function SettingsPage() {
  return (
    <>
      <h1>Settings</h1>
      <Tokens />
      <PolicyReplay />
      <ChainCheck />
      <ConfigForm />
    </>
  );
}
