// Prints the test files of a Jest report that failed, where they are few; nothing where there are many, or no report. `node
// .ci/failed-files.mjs REPORT`
import { existsSync, readFileSync } from 'node:fs';

const MOST = 5;
const [report] = process.argv.slice(2);
const failed = existsSync(report)
  ? JSON.parse(readFileSync(report, 'utf8'))
      .testResults.filter(({ status }) => status === 'failed')
      .map(({ name }) => name)
  : [];
if (failed.length <= MOST) console.log(failed.join(' '));
