// Usage over HTTP: as JSON for programs and as CSV for spreadsheets.
import type { RequestHandler } from 'express';
import { present } from '../../../domain/present.ts';
import type { ReportUsage } from '../../../flows/admin/report-usage.ts';
import type { UsageRow } from '../../../ports/usage.ts';
import { type UsageAnswer, type UsageAnswerRow, usageQuery } from '../../../wire/usage.ts';
import { validate } from '../body/validate.ts';
import { usageCsv } from './usage-csv.ts';

export function makeUsageHandler(reportUsage: ReportUsage): RequestHandler {
  return async (req, res) => {
    const { key: keyId, format, ...filters } = validate(usageQuery, { ...req.query });
    const report = await reportUsage(present({ ...filters, keyId }));
    const usage = report.rows.map(toAnswerRow);
    if (format === 'csv') {
      res.setHeader('content-disposition', 'attachment; filename="usage.csv"');
      res.type('text/csv; charset=utf-8; header=present').send(usageCsv(usage));
      return;
    }
    const answer: UsageAnswer = { usage, from: report.from.toISOString(), to: report.to.toISOString() };
    res.json(answer);
  };
}

function toAnswerRow({ organization, keyId: key, ...counts }: UsageRow): UsageAnswerRow {
  return { organization, key, ...counts };
}
