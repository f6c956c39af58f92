// What /readyz answers.
import { z } from 'zod';

export const readinessResponse = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    components: z.array(z.object({ name: z.string(), status: z.enum(['ok', 'degraded', 'down']), detail: z.string() })),
  })
  .meta({
    id: 'Readiness',
    examples: [{ status: 'ok', components: [{ name: 'database', status: 'ok', detail: 'PostgreSQL answers.' }] }],
  });
