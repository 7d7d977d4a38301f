import { counted, visibleLine } from '../../../../src/lib/visible-text.ts';
import type { FlowRibbon } from './flow-layout.ts';

interface Props {
  ribbon: FlowRibbon;
  from: number;
  to: number;
  isFaint: boolean;
}

/** Calls between two nodes. Those that were stopped break off on their way to the server; what follows is only where they wanted to go. */
export function Ribbon({ ribbon, from, to, isFaint }: Props) {
  const { op, isStopped, calls } = ribbon;
  const title = `${visibleLine(ribbon.from.label)} → ${visibleLine(ribbon.to.label)}: ${counted(calls, op === 'other' ? 'call' : `${op} call`)}${isStopped ? ', stopped' : ''}`;
  const whole = ribbonPath(ribbon, from, to);
  const breaks = isStopped && ribbon.from.column === 0;
  const kind = isStopped ? 'flow-ghost' : `flow-${op}`;
  return (
    <g className={isFaint ? 'flow-ribbon flow-faint' : 'flow-ribbon'}>
      <title>{title}</title>
      <path d={whole} className={kind} />
      {breaks && <path d={stubPath(ribbon, from, to)} className={`flow-${op} flow-stub`} />}
    </g>
  );
}

type Place = readonly [x: number, y: number];

const curve = ([x0, y0]: Place, [x1, y1]: Place) =>
  `C${(x0 + x1) / 2} ${y0} ${(x0 + x1) / 2} ${y1} ${x1} ${y1}`;

function ribbonPath({ y0, y1, height }: FlowRibbon, from: number, to: number): string {
  return `M${from} ${y0}${curve([from, y0], [to, y1])}v${height}${curve([to, y1 + height], [from, y0 + height])}Z`;
}

/** Where the ribbon breaks off, as a part of its way. */
const BREAK = 0.42;
const TOOTH = 5;

/** The beginning of the ribbon, with a torn end. */
function stubPath({ y0, y1, height }: FlowRibbon, from: number, to: number): string {
  const at = pointAt(BREAK, { from, to, y0, y1 });
  const upper = part(BREAK, { from, to, y0, y1 });
  const teeth = Math.max(1, Math.round(height / 8));
  const step = height / (teeth * 2);
  const torn = Array.from({ length: teeth }, () => `l${TOOTH} ${step}l${-TOOTH} ${step}`).join('');
  const back = partBack(BREAK, { from, to, y0: y0 + height, y1: y1 + height });
  return `M${from} ${y0}${upper}L${at.x} ${at.y}${torn}${back}Z`;
}

interface Way {
  from: number;
  to: number;
  y0: number;
  y1: number;
}

type Point = { x: number; y: number };

const mix = (a: Point, b: Point, t: number): Point => ({
  x: a.x + (b.x - a.x) * t,
  y: a.y + (b.y - a.y) * t,
});

/** The control points of the first part of the curve (de Casteljau). */
function firstPart(t: number, { from, to, y0, y1 }: Way): [Point, Point, Point, Point] {
  const middle = (from + to) / 2;
  const [a, b, c, d] = [
    { x: from, y: y0 },
    { x: middle, y: y0 },
    { x: middle, y: y1 },
    { x: to, y: y1 },
  ] as const;
  const [ab, bc, cd] = [mix(a, b, t), mix(b, c, t), mix(c, d, t)];
  const [abc, bcd] = [mix(ab, bc, t), mix(bc, cd, t)];
  return [a, ab, abc, mix(abc, bcd, t)];
}

const pointAt = (t: number, way: Way): Point => firstPart(t, way)[3];
const text = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;

function part(t: number, way: Way): string {
  const [, b, c, d] = firstPart(t, way);
  return `C${text(b)} ${text(c)} ${text(d)}`;
}

function partBack(t: number, way: Way): string {
  const [a, b, c, d] = firstPart(t, way);
  return `L${text(d)}C${text(c)} ${text(b)} ${text(a)}`;
}
