import type { JudgedTool } from '../../../../src/contract/tool.ts';

/** Whether the tool is as it was accepted. */
export function StandingBadge({
  tool,
}: {
  tool: Pick<JudgedTool, 'standing' | 'withheld' | 'rejected' | 'enabled' | 'suspicious'>;
}) {
  if (tool.enabled === false) return <span className="badge">switched off</span>;
  if (tool.rejected) return <span className="badge tone-bad">rejected</span>;
  if (tool.withheld) return <span className="badge tone-bad">{tool.standing}, withheld</span>;
  if (tool.suspicious) return <span className="badge badge-write">suspicious text</span>;
  if (tool.standing === 'accepted') return <span className="badge tone-good">accepted</span>;
  return <span className="badge tone-wait">{tool.standing}</span>;
}
