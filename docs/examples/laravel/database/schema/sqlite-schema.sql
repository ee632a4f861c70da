CREATE TABLE orders (id varchar PRIMARY KEY, title varchar, amount varchar, session varchar, paid boolean DEFAULT 0);
CREATE TABLE events (id varchar PRIMARY KEY);
