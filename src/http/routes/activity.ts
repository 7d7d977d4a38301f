import { CSV_HEADER, csvLine } from '../../activity/csv.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import { ProxyError } from '../../contract/errors.ts';
import { streamText } from '../stream-text.ts';
import type { Handlers, RestParts } from '../parts.ts';

type ActivityHandlers = Pick<Handlers, 'listActivity' | 'activitySummary' | 'exportActivity' | 'getActivity'>;

const FORMATS = {
  json: {
    type: 'application/x-ndjson',
    file: 'activity.jsonl',
    head: '',
    line: (record: ActivityRecord) => `${JSON.stringify(record)}\n`,
  },
  csv: { type: 'text/csv; charset=utf-8', file: 'activity.csv', head: CSV_HEADER, line: csvLine },
} as const;

export function activityRoutes({ activity }: RestParts): ActivityHandlers {
  return {
    listActivity({ query: { limit, cursor, ...filter } }) {
      return activity.list(filter, { limit, cursor });
    },
    activitySummary: ({ query }) => activity.summary(query.period),
    async exportActivity({ query: { format, ...filter } }) {
      const { type, file, head, line } = FORMATS[format];
      const body = await streamText(activity.export(filter), { head, line });
      return new Response(body, {
        headers: { 'content-type': type, 'content-disposition': `attachment; filename="${file}"` },
      });
    },
    async getActivity({ params }) {
      const record = await activity.get(params.id);
      if (record) return record;
      throw new ProxyError(
        'NOT_FOUND',
        `There is no record '${params.id.slice(0, 64)}'; it may have been removed by retention`,
        { id: params.id.slice(0, 64) },
      );
    },
  };
}
