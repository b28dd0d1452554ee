-- What this process was told to do with its open holds should it die. Who recovers them may not know its configuration.
ALTER TABLE epoch ADD COLUMN crash TEXT CHECK (crash IN ('delivered', 'hold', 'void'));
