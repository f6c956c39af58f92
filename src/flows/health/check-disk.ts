// Reports whether the disk has room for uploads, for /readyz.
import type { HealthCheck } from '../../ports/health.ts';
import type { Spool } from '../../ports/spool.ts';

type DiskHealthParts = {
  readonly spool: Pick<Spool, 'hasRoom'>;
  /** For the message. */
  readonly folder: string;
  readonly minFreeMib: number;
};

export function makeCheckDisk({ spool, folder, minFreeMib }: DiskHealthParts): HealthCheck {
  const name = 'disk';
  return async () => {
    if (await spool.hasRoom()) return { name, status: 'ok', detail: 'There is room for uploads.' };
    return {
      name,
      status: 'degraded',
      detail: `The disk of ${folder} (DATA_DIR) is full: less than ${minFreeMib} MiB are free (MIN_FREE_DISK_MIB). Uploads are refused until there is room.`,
    };
  };
}
