import { ChainCheck } from './chain-check.tsx';
import { ConfigForm } from './config-form.tsx';
import { ApprovalRules } from './approval-rules.tsx';
import { Tokens } from './tokens.tsx';
import './settings.css';

/** Agent tokens, approval rules, log integrity and configuration. */
export default function SettingsPage() {
  return (
    <>
      <h1>Settings</h1>
      <Tokens />
      <ApprovalRules />
      <ChainCheck />
      <ConfigForm />
    </>
  );
}
