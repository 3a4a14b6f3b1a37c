import { expect, it } from 'vitest';
import { exportCommand } from './export-command';

it('returns the command that exports the data of a grid', () => {
  expect(exportCommand('node_rollup', 'cpu', [1750000000.4, 1750003600.2])).toBe('jostle export node_rollup --metric cpu --from 2025-06-15T15:06:40Z --to 2025-06-15T16:06:41Z --format csv');
});
