// Charts that were opened by break-glass, in PostgreSQL. They stay: auditors need them.
import { sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { OpenedChart, OpenedCharts } from '../../../ports/opened-charts.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { cutPage, makeCursor, parseCursor } from '../position-cursor.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import { inScope } from './person-rows.ts';

type ChartRow = {
  id: string;
  position: number;
  run: string;
  site: string;
  actor: string;
  reason: Buffer;
  openedAt: Date;
  endsAt: Date;
};

const COLUMNS = sql`
  id, position, run_id as run, site, actor, reason, opened_at as "openedAt", ends_at as "endsAt"`;

export function makePostgresOpenedCharts({
  database: { db },
  secrets,
}: {
  readonly database: Pick<Database, 'db'>;
  readonly secrets: Secrets;
}): OpenedCharts {
  const sealing = secrets.sealing('opened-charts');
  const asChart = ({ position: _, reason, ...row }: ChartRow): OpenedChart => {
    return { ...row, reason: openWhole(sealing, reason, reasonContext(row)) };
  };
  return guardedMethods<OpenedCharts>({
    async open({ id, run, site, actor, reason, lifeMs }) {
      const sealed = sealWhole(sealing, reason, reasonContext({ id, site }));
      const { rows } = await sql<ChartRow>`
        insert into opened_charts (id, run_id, site, actor, reason, ends_at)
        values (${id}, ${run}, ${site}, ${actor}, ${sealed}, now() + make_interval(secs => ${lifeMs / 1000}))
        returning ${COLUMNS}`.execute(db);
      const [row] = rows;
      if (row === undefined) throw new AppError('internal', 'The opened chart was not stored');
      return asChart(row);
    },

    async isOpen(run, actor) {
      const { rows } = await sql`
        select 1 from opened_charts where run_id = ${run} and actor = ${actor} and ends_at > now() limit 1`.execute(db);
      return rows.length > 0;
    },

    async list({ scope, limit, cursor }) {
      const before = cursor === undefined ? null : parseCursor(cursor);
      const { rows } = await sql<ChartRow>`
        select ${COLUMNS} from opened_charts
        where ${inScope(scope, sql`site`)} and (${before}::bigint is null or position < ${before})
        order by position desc limit ${limit + 1}`.execute(db);
      const { page, last } = cutPage(rows, limit);
      return present({ charts: page.map(asChart), next: last && makeCursor(last.position) });
    },
  });
}

export function reasonContext({ id, site }: { readonly id: string; readonly site: string }): readonly string[] {
  return ['opened-chart', id, site];
}
