// Moves the streams in the folder of a server that does not run. It may run any number of times.
//   node tools/local-system/src/compose/adopt-streams.ts /data
import { adoptStreams } from '../adopt-streams.ts';

const [storeDir = '/data'] = process.argv.slice(2);
console.log((await adoptStreams(storeDir)) ? 'streams moved to their account' : 'nothing to move');
