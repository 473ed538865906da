// Closes a run of CI: names the slowest tests and what was skipped with its reason, and counts. `node .ci/summary.mjs FOLDER`, where each lane has
// left its exit code in NAME.code and, where it runs tests, Jest's report in NAME.json. Files that failed and were run again have
// their report in NAME.again.json and their exit code in NAME.again.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0 };
for (const file of readdirSync(folder).filter((name) => name.endsWith('.code')).sort()) {
  const lane = file.replace(/\.code$/, '');
  const first = countsOf(Number(readFileSync(join(folder, file), 'utf8')), join(folder, `${lane}.json`));
  const { passed, failed, skipped } = existsSync(join(folder, `${lane}.again`)) ? withSecondTry(lane, first) : first;
  for (const line of slowestOf(join(folder, `${lane}.json`))) console.log(`slow in ${lane}: ${line}`);
  for (const name of skipped) console.log(`skipped in ${lane}: ${name}`);
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped.length;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);

/** The ten tests of a lane that took longest, of those above ten seconds. */
function slowestOf(report) {
  if (!existsSync(report)) return [];
  return JSON.parse(readFileSync(report, 'utf8'))
    .testResults.flatMap(({ assertionResults }) => assertionResults)
    .filter(({ duration }) => duration > 10_000)
    .sort((a, b) => b.duration - a.duration)
    .slice(0, 10)
    .map(({ duration, fullName }) => `${(duration / 1000).toFixed(0)} s, ${fullName}`);
}

/** A lane without a report counts as one; one that ends badly though no test failed counts as one failure, so that nothing is lost. */
function countsOf(code, report) {
  if (!existsSync(report)) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [] };
  const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0, testResults = [] } = JSON.parse(readFileSync(report, 'utf8'));
  const bad = numFailedTests + numRuntimeErrorTestSuites;
  const skipped = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'pending')
    .map(({ fullName }) => fullName);
  return { passed: numPassedTests, failed: code !== 0 && bad === 0 ? 1 : bad, skipped };
}

/** The second result counts for files that were run again. */
function withSecondTry(lane, first) {
  const again = join(folder, `${lane}.again.json`);
  const second = countsOf(Number(readFileSync(join(folder, `${lane}.again`), 'utf8')), again);
  if (!existsSync(again)) return first;
  const nowPassed = namesOf(again, 'passed');
  const passedNow = [...namesOf(join(folder, `${lane}.json`), 'failed')].filter((name) => nowPassed.has(name));
  for (const name of passedNow) console.log(`passed in ${lane} only on the second try: ${name}`);
  return { ...first, passed: first.passed + passedNow.length, failed: second.failed };
}

function namesOf(report, wanted) {
  return new Set(
    JSON.parse(readFileSync(report, 'utf8'))
      .testResults.flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === wanted)
      .map(({ fullName }) => fullName),
  );
}
