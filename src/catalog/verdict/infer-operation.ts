import type { ToolDefinition } from '../../contract/tool.ts';
import { fromName, hasOnlyNouns } from './infer-from-name.ts';
import { fromParameters } from './infer-from-parameters.ts';
import { fromText } from './infer-from-text.ts';
import { nameParts, SEVERITY, type Inference } from './inference.ts';
import { fromOtherLanguage } from './other-languages.ts';
import { runsPrograms } from './runs-programs.ts';
import { firstSentence } from '../search/tool-text.ts';
import { isMild, verbInText, verbOperation } from './verbs.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

type Inferable = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'>;

const MAX_TEXT = 4000;

/**
 * The most likely operation of a tool, from its name, description and parameters. Conservative: "read" needs a reason and any sign of more
 * outweighs it, because the costly mistake is to take a destructive tool for a reading one.
 */
export function inferOperation(definition: Inferable): Inference {
  const description = (definition.description ?? '').slice(0, MAX_TEXT);
  const parts = nameParts(definition.name);
  const properties = propertiesOf(definition.inputSchema);
  const runs = runsPrograms(parts, description, Object.keys(properties));
  if (runs) return runs;
  const tellingParts = hasOnlyNouns(parts) && opensWithReading(description) ? [] : parts;
  const chosen = fromParameters(properties);
  const text = fromText(description, tellingParts);
  const said = [
    fromName(tellingParts, text?.operation === 'read'),
    text,
    fromOtherLanguage(definition.name, description),
  ];
  const signs = [...said, chosen].filter((sign) => sign !== undefined);
  if (signs.length === 0)
    return { operation: 'write', reason: 'nothing in its name or description says that it only reads' };
  const worst = signs.reduce((a, b) => (SEVERITY[b.operation] > SEVERITY[a.operation] ? b : a));
  return chosen ? worst : withReadOnlyClaim(worst, parts, description);
}

/** A statement that the tool only reads outweighs a mild verb ("generate", "run"), and nothing stronger. */
function withReadOnlyClaim(sign: Inference, parts: string[], description: string): Inference {
  const acts = parts.filter((part) => (verbOperation(part) ?? 'read') !== 'read');
  if (sign.operation !== 'write' || !acts.every(isMild) || !ONLY_READS.test(firstLines(description)))
    return sign;
  return { operation: 'read', reason: 'its description says that it only reads' };
}

const ONLY_READS =
  /\bread[- ]only\b|\bonly reads\b|\b(?:does|do|will) not (?:create|modify|change|alter|write|delete|send|store|save)\b|\bwithout (?:modifying|changing|altering|side effects)\b/i;

/** Later lines describe single parameters and cases. */
function firstLines(description: string): string {
  return description.slice(0, 400);
}

/** "This tool provides …", "A tool for retrieving …": only a verb close to the beginning says what the tool does. */
function opensWithReading(description: string): boolean {
  const words =
    firstSentence(description)
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  const lead = words.slice(0, 4).flatMap((word) => verbInText(word) ?? [])[0];
  return lead?.operation === 'read' && fromText(description, [])?.operation === 'read';
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}
