/** A deliberate fault of what is written: a trigger in the ledger file does it in the writer's own transaction. */
export interface DiskDefect {
  readonly name: string
  readonly trigger: string
}

/** The list that `ledger-defects.test.ts` must find, one by one. */
export const diskDefects: readonly DiskDefect[] = [
  {
    name: 'settled twice on disk',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON settlement WHEN NEW.charged > 0
      BEGIN UPDATE account SET balance = balance - NEW.charged WHERE id = NEW.account_id; END`,
  },
  {
    name: 'a settlement that its balance does not know',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON settlement WHEN NEW.charged > 0
      BEGIN UPDATE account SET balance = balance + NEW.charged WHERE id = NEW.account_id; END`,
  },
  {
    name: 'hold lost at the restart',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON epoch BEGIN DELETE FROM hold; END`,
  },
  {
    name: 'hold not removed by its settlement',
    trigger: `CREATE TRIGGER defect BEFORE DELETE ON hold BEGIN SELECT RAISE(IGNORE); END`,
  },
  {
    name: 'step of a hold not counted',
    trigger: `CREATE TRIGGER defect AFTER UPDATE OF amount ON hold WHEN NEW.amount > OLD.amount
      BEGIN UPDATE hold SET amount = OLD.amount WHERE request_id = NEW.request_id; END`,
  },
  {
    name: 'checkpoint that says more than was delivered',
    trigger: `CREATE TRIGGER defect AFTER UPDATE OF checkpoint_units ON hold
      BEGIN UPDATE hold SET checkpoint_units = NEW.checkpoint_units + 100 WHERE request_id = NEW.request_id; END`,
  },
  {
    name: 'recovered beyond the hold',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON epoch BEGIN UPDATE hold SET amount = amount + 100; END`,
  },
  {
    name: 'top-up entered twice',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON entry WHEN NEW.kind = 'top_up'
      BEGIN UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account_id; END`,
  },
  {
    name: 'refund twice',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON entry WHEN NEW.kind = 'refund' BEGIN
      INSERT INTO entry (kind, account_id, amount, actor, at_ms, balance_after, request_id)
        VALUES ('refund', NEW.account_id, NEW.amount, 'defect', 0, 0, NEW.request_id);
      UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account_id; END`,
  },
  {
    name: 'lot used twice',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON lot_posting WHEN NEW.amount < 0 BEGIN
      UPDATE promo_lot SET remaining = max(0, remaining + NEW.amount) WHERE seq = NEW.lot; END`,
  },
  {
    name: 'what a key spent is forgotten',
    trigger: `CREATE TRIGGER defect AFTER INSERT ON key_spend BEGIN DELETE FROM key_spend WHERE key_id = NEW.key_id; END`,
  },
  {
    name: 'an entry that was told is gone',
    trigger: `DROP TRIGGER entry_no_delete; CREATE TRIGGER defect AFTER INSERT ON epoch BEGIN
      UPDATE account SET balance = balance - coalesce((SELECT sum(amount) FROM entry WHERE account_id = id AND kind = 'top_up'), 0);
      DELETE FROM entry WHERE kind = 'top_up'; END`,
  },
]
