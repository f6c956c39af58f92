import { printFigures } from './figures.ts';
import { withRunHouse } from './run-house.ts';
import { measureDrain } from './runs-drain.ts';
printFigures('drain', await withRunHouse(measureDrain));
process.exit(0);
